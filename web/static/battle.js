// Comfort for the battle page: keys, and no second click while the first is on its way. The page works without it.
"use strict";

(function () {
  var KEYS_OFF = "arena-keys-off";
  var toggle = document.getElementById("keys");

  function stored() {
    try { return window.localStorage.getItem(KEYS_OFF) === "1"; } catch (error) { return false; }
  }

  function store(off) {
    try { window.localStorage.setItem(KEYS_OFF, off ? "1" : "0"); } catch (error) { /* private window */ }
  }

  document.querySelectorAll("[data-key]").forEach(function (button) {
    var hint = document.createElement("kbd");
    hint.textContent = button.dataset.key;
    hint.setAttribute("aria-hidden", "true");
    button.append(hint);
    button.setAttribute("aria-keyshortcuts", button.dataset.key);
  });

  if (toggle) {
    toggle.parentElement.hidden = false;
    toggle.checked = !stored();
    document.body.classList.toggle("keys-off", !toggle.checked);
    toggle.addEventListener("change", function () {
      store(!toggle.checked);
      document.body.classList.toggle("keys-off", !toggle.checked);
    });
  }

  document.querySelectorAll("form").forEach(function (form) {
    form.addEventListener("submit", function (event) {
      if (document.body.classList.contains("sending")) {
        event.preventDefault();
        return;
      }
      document.body.classList.add("sending");
    });
  });

  // A page that comes back from the browser's memory can be used again.
  window.addEventListener("pageshow", function () { document.body.classList.remove("sending"); });

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || stored()) { return; }
    if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]")) { return; }
    var button = Array.from(document.querySelectorAll("[data-key]")).find(function (candidate) {
      return candidate.dataset.key === event.key.toLowerCase();
    });
    if (button) {
      event.preventDefault();
      button.click();
    }
  });
})();
