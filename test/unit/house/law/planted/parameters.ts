import { plant } from './plant.ts'

export const PARAMETERS = [
  plant(
    'a function of five parameters',
    'activities/p01.ts',
    'export function settle(a: 1, b: 2, c: 3, d: 4, e?: 5) { return [a, b, c, d, e] }',
    /takes 5 parameters, where 4 are the most/,
  ),
  plant(
    'a local one under a name',
    'core/run/p02.ts',
    'export const x = () => { const add = ((a: 1, b: 2, c: 3, d: 4, e: 5, f: 6) => [a, b, c, d, e, f]) as any; return add }',
    /takes 6 parameters/,
  ),
  plant(
    'a method',
    'store/p03.ts',
    'export const x = { record(a: 1, b: 2, c: 3, d: 4, ...rest: 5[]) { return [a, b, c, d, rest] } }',
    /takes 5 parameters/,
  ),
]
