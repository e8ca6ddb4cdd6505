// Imported before a program: its wall clock is off by SVC_TEST_CLOCK_MS. The monotonic clock is not.
const offset = Number(process.env['SVC_TEST_CLOCK_MS'])
const { now } = Date
Date.now = () => now() + offset
globalThis.Date = new Proxy(Date, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args, self),
})
