"use strict";
(() => {
  const articles = Array.from(document.querySelectorAll("article"));
  const days = Array.from(document.querySelectorAll("h2"));
  const words = document.getElementById("words"), found = document.getElementById("found"), none = document.getElementById("none");
  const plain = (s) => s.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const texts = new Map();
  const textOf = (a) => {
    if (!texts.has(a)) texts.set(a, plain(a.textContent));
    return texts.get(a);
  };
  let turn = 0;
  const search = () => {
    const wanted = plain(words.value).split(/\s+/).filter(Boolean), mine = ++turn;
    let next = 0, shown = 0;
    const step = () => {
      if (mine !== turn) return;
      for (const end = Math.min(next + 2000, articles.length); next < end; next++) {
        const text = wanted.length ? textOf(articles[next]) : "", hit = wanted.every((w) => text.includes(w));
        if (articles[next].hidden === hit) articles[next].hidden = !hit;
        if (hit) shown++;
      }
      found.textContent = wanted.length ? shown + " of " + articles.length : "";
      if (next < articles.length) { setTimeout(step); return; }
      none.hidden = shown > 0 || !wanted.length;
      for (const day of days) {
        let a = day.nextElementSibling;
        while (a && a.tagName === "ARTICLE" && a.hidden) a = a.nextElementSibling;
        day.hidden = !(a && a.tagName === "ARTICLE");
      }
    };
    step();
  };
  let wait;
  words.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(search, 120); });
  document.getElementById("find").hidden = false;
})();
