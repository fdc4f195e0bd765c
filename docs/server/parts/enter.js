/* The address that docs/serve printed: its token is kept where only pages of this server read it. */
"use strict";
localStorage.setItem("cuda-steps token", new URLSearchParams(location.search).get("token"));
location.replace("index.html");
