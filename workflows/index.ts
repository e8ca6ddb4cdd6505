export { runV1 } from './run.ts'
