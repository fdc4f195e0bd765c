/* What the other scripts say, in the page's language. Pages in English have no siteWords. */
"use strict";
const word = text => text; /* it is said later */
const say = (text, values = {}) => Object.entries(values).reduce((made, [name, value]) =>
    made.replaceAll(`{${name}}`, value), window.siteWords?.[text] || text);
const counted = (count, one, many) => say(count === 1 ? one : many, { count });
