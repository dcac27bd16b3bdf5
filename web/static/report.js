// A button beside each picture of a report that draws it anew, to be asked for its numbers. Without scripts the picture stays.
"use strict";
(() => {
  const library = document.currentScript.dataset.charts;
  let loading = null;

  function load() {
    loading ??= new Promise((done, fail) => {
      const script = document.createElement("script");
      script.src = library;
      script.onload = () => done();
      script.onerror = () => { loading = null; script.remove(); fail(new Error("the charts could not be loaded")); };
      document.head.append(script);
    });
    return loading;
  }

  async function draw(figure) {
    const [answer] = await Promise.all([fetch(figure.dataset.spec), load()]);
    if (!answer.ok) throw new Error("the picture could not be loaded");
    const place = document.createElement("div");
    place.className = "live";
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", figure.dataset.caption);
    const box = figure.querySelector(".scroll");
    box.append(place);
    try {
      // `ast` and no default style: the page's policy allows neither code made of text nor styles in the page.
      await vegaEmbed(place, await answer.json(), {
        ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true },
      });
    } catch (error) {
      place.remove();
      throw error;
    }
    place.firstElementChild?.setAttribute("aria-hidden", "true");
    figure.querySelector("img").hidden = true;
  }

  for (const figure of document.querySelectorAll("figure[data-spec]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Point and read values";
    button.setAttribute("aria-label", `${button.textContent}: ${figure.dataset.caption}`);
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await draw(figure);
        button.remove();
      } catch (error) {
        button.disabled = false;
        button.textContent = `${error.message}; try again`;
      }
    });
    figure.append(button);
  }
})();
