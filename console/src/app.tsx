import { useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "./components/failure.js";
import { Fence } from "./components/fence.js";
import { Finder } from "./components/finder.js";
import { Foreign } from "./components/foreign.js";
import { Help } from "./components/help.js";
import type { Api } from "./data/api.js";
import { SurroundingsContext } from "./data/context.js";
import { hrefOf, type Route } from "./data/route.js";
import { useLoad } from "./data/use-load.js";
import { useRoute } from "./data/use-route.js";
import { listenToKeys, places } from "./keyboard.js";
import { Audit } from "./views/audit.js";
import { Deliveries } from "./views/deliveries.js";
import { Delivery } from "./views/delivery.js";
import { Event } from "./views/event.js";
import { Events } from "./views/events.js";
import { Fault, Faults } from "./views/faults.js";
import { NewReplay } from "./views/new-replay.js";
import { Overview } from "./views/overview.js";
import { Replay } from "./views/replay.js";
import { Replays } from "./views/replays.js";
import { Source } from "./views/source.js";
import { Sources } from "./views/sources.js";
import { Subscription } from "./views/subscription.js";

/** The page: navigation, and the view that the URL names. */
export function App({ api }: { readonly api: Api }) {
  const route = useRoute();
  const [helping, setHelping] = useState(false);
  const main = useRef<HTMLElement>(null);
  const relay = useLoad("relay", () => api.relay());
  useEffect(() => listenToKeys(() => setHelping(true)), []);
  const place = route.path.join("/");
  useEffect(() => {
    document.title = `${titleOf(route)} · Steadyhook`;
    window.scrollTo(0, 0);
  }, [place]);
  return (
    <>
      <a
        class="skip"
        href={hrefOf(route.path, route.query)}
        onClick={(clicked) => {
          clicked.preventDefault();
          main.current?.focus();
        }}
      >
        To the content
      </a>
      <header class="top">
        <a class="brand" href="#/">
          Steadyhook
        </a>
        {relay.value !== null && (
          <span class="relay">
            <Foreign text={relay.value.label} />
          </span>
        )}
        <Finder />
        <button type="button" class="plain" aria-label="Keys" title="Keys (?)" onClick={() => setHelping(true)}>
          ?
        </button>
      </header>
      <nav class="places" aria-label="Views">
        {places.map(([, path, title]) => (
          <a
            key={path}
            href={hrefOf(path === "" ? [] : [path])}
            aria-current={isHere(route, path) ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <main ref={main} tabIndex={-1}>
        {relay.error !== null && <Failure error={relay.error} retry={relay.reload} />}
        {relay.value !== null && (
          <SurroundingsContext.Provider value={{ api, relay: relay.value }}>
            <Fence key={place}>
              <View route={route} />
            </Fence>
          </SurroundingsContext.Provider>
        )}
      </main>
      {helping && <Help onClose={() => setHelping(false)} />}
    </>
  );
}

function View({ route: { path, query } }: { readonly route: Route }) {
  const [name = "", id] = path;
  if (id === undefined) {
    switch (name) {
      case "":
        return <Overview query={query} />;
      case "deliveries":
        return <Deliveries query={query} />;
      case "events":
        return <Events query={query} key="events" />;
      case "quarantine":
        return <Events query={query} key="quarantine" quarantined />;
      case "sources":
        return <Sources query={query} />;
      case "faults":
        return <Faults query={query} />;
      case "replays":
        return <Replays query={query} />;
      case "audit":
        return <Audit query={query} />;
    }
  } else {
    switch (name) {
      case "deliveries":
        return <Delivery deliveryId={id} key={id} />;
      case "events":
        return <Event eventId={id} key={id} />;
      case "sources":
        return <Source sourceId={id} key={id} />;
      case "subscriptions":
        return <Subscription subscriptionId={id} key={id} />;
      case "faults":
        return <Fault faultId={id} key={id} />;
      case "replays":
        return id === "new" ? <NewReplay query={query} /> : <Replay replayId={id} key={id} />;
    }
  }
  return (
    <p>
      There is nothing at this address. <a href="#/">To the overview</a>
    </p>
  );
}

/** A subscription is looked at below its source. */
function isHere({ path: [name = ""] }: Route, place: string): boolean {
  return name === place || (name === "subscriptions" && place === "sources");
}

function titleOf({ path: [name = "", id] }: Route): string {
  const title = places.find(([, path]) => path === name)?.[2] ?? "Subscription";
  return id === undefined ? title : `${title} ${id}`;
}
