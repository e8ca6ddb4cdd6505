export { actionV1 } from './action.ts'
export { runV1 } from './run.ts'
