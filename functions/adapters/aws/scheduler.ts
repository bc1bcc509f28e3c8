// The calls of EventBridge Scheduler that we make. Loaded by `import()`, as s3.ts is and for the same reason.
export { ConflictException, CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
