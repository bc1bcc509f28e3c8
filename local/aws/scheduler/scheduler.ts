import { arnOf, type LocalAccount } from "../arns.js";
import { AwsError } from "../aws-error.js";
import type { LocalClock } from "../clock.js";
import type { StateStore, WriteOperation } from "../state-store.js";
import { type Expression, firstFireAt, nextFireAt } from "./expression.js";
import type { Fire } from "./firing.js";
import { checkName, expressionOf, invalidSchedule, type Schedule, type ScheduleSettings } from "./schedule.js";
import { Timetable } from "./timetable.js";

const groupPrefix = "scheduler!group!";
const schedulePrefix = "scheduler!schedule!";
const defaultGroup = "default";
/** EventBridge Scheduler's default of MaximumRetryAttempts. */
const defaultRetries = 185;
const longestBackoffMs = 60_000;

export interface ScheduleGroup {
  readonly name: string;
  readonly createdAtMs: number;
}

export interface SchedulerOptions extends LocalAccount {
  readonly store: StateStore;
  readonly clock: LocalClock;
  /** Hands a due schedule to its target; rejecting means: try again. */
  readonly fire: Fire;
  /** A schedule fires at the first whole multiple of this after its time. Default 1; AWS: within 60. */
  readonly precisionSeconds?: number;
  readonly onFault: (what: string, error: unknown) => void;
}

/**
 * EventBridge Scheduler: at least once, since a schedule changes on disk only after its target took it; one that
 * became due while nothing ran fires at the start.
 */
export class Scheduler {
  readonly #groups = new Map<string, ScheduleGroup>();
  readonly #schedules = new Map<string, Schedule>();
  readonly #failures = new WeakMap<Schedule, number>();
  readonly #timetable: Timetable<Schedule>;

  private constructor(private readonly options: SchedulerOptions) {
    this.#timetable = new Timetable(options.clock, (schedule) => this.#fire(schedule));
  }

  static async open(options: SchedulerOptions): Promise<Scheduler> {
    const scheduler = new Scheduler(options);
    scheduler.#groups.set(defaultGroup, { name: defaultGroup, createdAtMs: 0 });
    for await (const [, value] of options.store.range(groupPrefix)) {
      const group: ScheduleGroup = JSON.parse(value);
      scheduler.#groups.set(group.name, group);
    }
    for await (const [, value] of options.store.range(schedulePrefix)) {
      const schedule: Schedule = JSON.parse(value);
      scheduler.#schedules.set(keyOf(schedule.groupName, schedule.name), schedule);
    }
    return scheduler;
  }

  /** Begins to fire; until then everything waits, so that a start can set up the targets first. */
  start(): void {
    for (const schedule of this.#schedules.values()) this.#plan(schedule);
  }

  arnOf(schedule: Pick<Schedule, "groupName" | "name">): string {
    return arnOf(this.options, "scheduler", `schedule/${schedule.groupName}/${schedule.name}`);
  }

  groupArn(name: string): string {
    return arnOf(this.options, "scheduler", `schedule-group/${name}`);
  }

  groups(): ScheduleGroup[] {
    return [...this.#groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws {AwsError} `ResourceNotFoundException`. */
  group(name: string): ScheduleGroup {
    return this.#groups.get(name) ?? missing(`Schedule group ${name} does not exist.`);
  }

  async createGroup(name: string): Promise<void> {
    checkName(name, "Name");
    if (this.#groups.has(name)) throw conflict(`Schedule group ${name} already exists.`);
    const group: ScheduleGroup = { name, createdAtMs: this.options.clock.now() };
    this.#groups.set(name, group);
    await this.options.store.write([{ type: "put", key: groupPrefix + name, value: JSON.stringify(group) }]);
  }

  /** Deletes its schedules too. */
  async deleteGroup(name: string): Promise<void> {
    this.group(name);
    if (name === defaultGroup) throw invalidSchedule("The default schedule group can't be deleted.");
    const inside = this.list().filter((schedule) => schedule.groupName === name);
    for (const schedule of inside) this.#forget(schedule);
    this.#groups.delete(name);
    await this.options.store.write([{ type: "del", key: groupPrefix + name }, ...inside.map(deletion)]);
  }

  /** Every schedule, by group and name. */
  list(): Schedule[] {
    const key = (schedule: Schedule): string => keyOf(schedule.groupName, schedule.name);
    return [...this.#schedules.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  }

  /** @throws {AwsError} `ResourceNotFoundException`. */
  find(groupName: string, name: string): Schedule {
    return this.#schedules.get(keyOf(groupName, name)) ?? missing(`Schedule ${name} does not exist.`);
  }

  /** The same client token again is the same call again: nothing changes. */
  async create(
    groupName: string,
    name: string,
    settings: ScheduleSettings,
    clientToken: string | null,
  ): Promise<Schedule> {
    checkName(name, "Name");
    this.group(groupName);
    const existing = this.#schedules.get(keyOf(groupName, name));
    if (existing !== undefined) {
      // "Already there" is an answer that callers rely on: only once it is on disk.
      await this.options.store.write([]);
      if (clientToken !== null && clientToken === existing.clientToken) return existing;
      throw conflict(`Schedule ${name} already exists.`);
    }
    const nowMs = this.options.clock.now();
    const nextFireAtMs = this.#firstFire(settings);
    const schedule: Schedule = {
      name,
      groupName,
      clientToken,
      createdAtMs: nowMs,
      modifiedAtMs: nowMs,
      settings,
      nextFireAtMs,
    };
    this.#schedules.set(keyOf(groupName, name), schedule);
    await this.#save(schedule);
    this.#plan(schedule);
    return schedule;
  }

  /** Replaces every setting; what is not given falls back to its default. */
  async update(groupName: string, name: string, settings: ScheduleSettings): Promise<Schedule> {
    const schedule = this.find(groupName, name);
    schedule.nextFireAtMs = this.#firstFire(settings);
    schedule.settings = settings;
    schedule.modifiedAtMs = this.options.clock.now();
    await this.#save(schedule);
    this.#plan(schedule);
    return schedule;
  }

  async delete(groupName: string, name: string): Promise<void> {
    const schedule = this.find(groupName, name);
    this.#forget(schedule);
    await this.options.store.write([deletion(schedule)]);
  }

  /** Fires no more, and waits for what is being fired. */
  close(): Promise<void> {
    return this.#timetable.close();
  }

  /** AWS does not document what it does with a time that has passed; refusing it is the stricter choice. */
  #firstFire(settings: ScheduleSettings): number | null {
    const nowMs = this.options.clock.now();
    const expression = expressionOf(settings);
    if (expression.kind === "at" && expression.atMs < nowMs) {
      throw invalidSchedule(`The time of ${settings.ScheduleExpression} has passed.`);
    }
    const endMs = settings.EndDate === null ? null : settings.EndDate * 1000;
    if (expression.kind !== "at" && endMs !== null && endMs <= nowMs) {
      throw invalidSchedule("The EndDate you specify must be in the future.");
    }
    const startMs = settings.StartDate === null ? null : settings.StartDate * 1000;
    return withinEnd(settings, expression, firstFireAt(expression, startMs, nowMs));
  }

  /** Puts a schedule where its next time is, or its next try; replaces an earlier plan. */
  #plan(schedule: Schedule, retryAtMs?: number): void {
    const dueAtMs = retryAtMs ?? schedule.nextFireAtMs;
    this.#timetable.cancel(schedule);
    if (dueAtMs === null || schedule.settings.State === "DISABLED") return;
    const precisionMs = (this.options.precisionSeconds ?? 1) * 1000;
    this.#timetable.plan(schedule, Math.ceil(dueAtMs / precisionMs) * precisionMs);
  }

  async #fire(schedule: Schedule): Promise<void> {
    const firedAtMs = schedule.nextFireAtMs ?? this.options.clock.now();
    const settings = schedule.settings;
    try {
      await this.options.fire({ arn: this.arnOf(schedule), target: settings.Target, dueAtMs: firedAtMs });
      this.#failures.delete(schedule);
    } catch (error) {
      if (this.#retryLater(schedule)) return;
      this.options.onFault(`firing schedule ${schedule.name}, given up`, error);
    }
    // Updated or deleted while it fired: the new plan stands.
    if (schedule.settings !== settings || !this.#isCurrent(schedule)) return;
    await this.#settle(schedule, firedAtMs).catch((error: unknown) => {
      this.options.onFault(`recording that schedule ${schedule.name} fired`, error);
    });
  }

  /** After a fire: the next time, or the end of the schedule. */
  async #settle(schedule: Schedule, firedAtMs: number): Promise<void> {
    const { settings } = schedule;
    const expression = expressionOf(settings);
    const next = nextFireAt(expression, firedAtMs, this.options.clock.now());
    schedule.nextFireAtMs = withinEnd(settings, expression, next);
    if (schedule.nextFireAtMs === null && settings.ActionAfterCompletion === "DELETE") {
      this.#forget(schedule);
      return this.options.store.write([deletion(schedule)]);
    }
    this.#plan(schedule);
    return this.#save(schedule);
  }

  /** True while the target's retry policy allows it: 1, 2, 4 … 60 s later. */
  #retryLater(schedule: Schedule): boolean {
    const failures = (this.#failures.get(schedule) ?? 0) + 1;
    const policy = schedule.settings.Target["RetryPolicy"] as { readonly MaximumRetryAttempts?: number } | undefined;
    if (failures > (policy?.MaximumRetryAttempts ?? defaultRetries)) return false;
    this.#failures.set(schedule, failures);
    const backoffMs = Math.min(longestBackoffMs, 1000 * 2 ** Math.min(failures - 1, 10));
    if (this.#isCurrent(schedule)) this.#plan(schedule, this.options.clock.now() + backoffMs);
    return true;
  }

  #isCurrent(schedule: Schedule): boolean {
    return this.#schedules.get(keyOf(schedule.groupName, schedule.name)) === schedule;
  }

  #forget(schedule: Schedule): void {
    this.#timetable.cancel(schedule);
    this.#schedules.delete(keyOf(schedule.groupName, schedule.name));
  }

  #save(schedule: Schedule): Promise<void> {
    const key = schedulePrefix + keyOf(schedule.groupName, schedule.name);
    return this.options.store.write([{ type: "put", key, value: JSON.stringify(schedule) }]);
  }
}

const keyOf = (groupName: string, name: string): string => `${groupName}!${name}`;

const deletion = (schedule: Schedule): WriteOperation => ({
  type: "del",
  key: schedulePrefix + keyOf(schedule.groupName, schedule.name),
});

/** One-time schedules have no end date. */
function withinEnd(settings: ScheduleSettings, expression: Expression, atMs: number | null): number | null {
  if (atMs === null || expression.kind === "at" || settings.EndDate === null) return atMs;
  return atMs <= settings.EndDate * 1000 ? atMs : null;
}

const conflict = (message: string): AwsError => new AwsError("ConflictException", message, { statusCode: 409 });

function missing(message: string): never {
  throw new AwsError("ResourceNotFoundException", message, { statusCode: 404 });
}
