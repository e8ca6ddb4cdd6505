// Imported before a program: its wall clock is off by SVC_TEST_CLOCK_MS, and jumps by SVC_TEST_CLOCK_JUMP_MS with each SIGUSR2. The
// monotonic clock is not.
let offset = Number(process.env['SVC_TEST_CLOCK_MS'] ?? 0)
process.on('SIGUSR2', () => {
  offset += Number(process.env['SVC_TEST_CLOCK_JUMP_MS'] ?? 0)
})
const { now } = Date
Date.now = () => now() + offset
globalThis.Date = new Proxy(Date, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args, self),
})
