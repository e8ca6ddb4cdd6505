import type { Profile } from '../environment.ts'

type Gates = Pick<Profile, 'requires_approval' | 'require_plan_hash' | 'limits'>

const NONE: Gates = { requires_approval: [] }

/** Settings of a profile by which something may be laxer after a change. undefined: there is no file. */
export function loosenedGates(before: Gates | undefined, after: Gates | undefined): string[] {
  const [was, is] = [before ?? NONE, after ?? NONE]
  const isLaxer: [setting: string, laxer: boolean][] = [
    ['requires_approval', was.requires_approval.some((type) => !is.requires_approval.includes(type))],
    ['require_plan_hash', was.require_plan_hash === true && is.require_plan_hash !== true],
    ['limits.max_usd', capOf(is) > capOf(was)],
  ]
  return isLaxer.filter(([, laxer]) => laxer).map(([setting]) => setting)
}

function capOf({ limits }: Gates): number {
  return limits?.max_usd ?? Number.POSITIVE_INFINITY
}
