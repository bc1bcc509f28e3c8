import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./styles/main.css";
import { App } from "./app.js";
import { Api } from "./data/api.js";
import { takeToken } from "./data/session.js";

const place = document.getElementById("app");
if (place !== null) render(<App api={new Api(takeToken(window))} />, place);
