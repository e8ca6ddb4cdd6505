export { actionV2 } from './action.ts'
export { endV1 } from './end.ts'
export { runV2 } from './run.ts'
export { scheduleFiringV1 } from './schedule-firing.ts'
