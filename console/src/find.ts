/** The view of an id, by what ids look like; null: it is none. */
export function pathOfId(text: string): readonly string[] | null {
  const id = text.trim();
  const view = views[/^([a-z]{3})_[A-Za-z0-9]+$/.exec(id)?.[1] ?? ""];
  return view === undefined ? null : [view, id];
}

const views: Readonly<Record<string, string>> = {
  dlv: "deliveries",
  evt: "events",
  sub: "subscriptions",
  src: "sources",
  flt: "faults",
  rpl: "replays",
};
