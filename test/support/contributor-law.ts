/** The law of who may answer, written again from its sentences and nothing else: a judge for the product's own. */

export interface LawAccount {
  inviter: string
  passwords: string[]
  /** by key, who made it */
  keys: Record<string, string>
}

export interface LawWorld {
  accounts: Record<string, LawAccount>
  /** whom each person has named */
  named: Record<string, string[]>
  /** approval roles of each person and account */
  roles: Record<string, string[]>
  /** who has lent their roles to whom */
  lent: Record<string, string>
}

export interface LawRun {
  prevent_self: boolean
  approvals: number
  clauses: string[][]
  asker: string
  /** shown at the start, where the asker is an account */
  key?: string
  authors: string[]
  /** since it was asked for: who let in or changed whom */
  changes: { by: string; of: string }[]
}

export interface LawVote {
  by: string
  /** the account that says it; without one, `by` does */
  via?: string
  key?: string
}

/** Everybody behind somebody: an account's inviter, who set its password, who made the key (without one: any of its keys), and so on. */
function people(world: LawWorld, id: string, key: string | undefined): Set<string> {
  const all = new Set([id])
  const account = world.accounts[id]
  if (account === undefined) return all
  const makers = key === undefined ? Object.values(account.keys) : [account.keys[key] ?? '']
  for (const maker of [account.inviter, ...account.passwords, ...makers]) {
    for (const each of people(world, maker, undefined)) all.add(each)
  }
  return all
}

function meet(one: Set<string>, other: Set<string>): boolean {
  return [...one].some((id) => other.has(id))
}

/** What becomes of each vote in turn: refused, taken, or the one that approves. */
export function judge(world: LawWorld, run: LawRun, votes: LawVote[]): ('refused' | 'taken' | 'approved' | 'over')[] {
  const asked = people(world, run.asker, run.key)
  const shaped = new Set([...asked, ...run.authors.flatMap((id) => [...people(world, id, undefined)])])
  const closed = run.prevent_self ? shaped : asked
  const isAccount = (id: string) => world.accounts[id] !== undefined
  const isMade = (id: string) =>
    run.prevent_self && run.changes.some(({ by, of }) => of === id && meet(people(world, by, undefined), shaped))
  const rolesOf = (id: string) => [
    ...(world.roles[id] ?? []),
    ...Object.entries(world.lent)
      // an account has no voice to lend
      .filter(([lender, to]) => to === id && !isAccount(lender) && !closed.has(lender) && !isMade(lender))
      .flatMap(([lender]) => world.roles[lender] ?? []),
  ]
  const counted: { set: Set<string>; roles: string[] }[] = []
  const unmet = () =>
    run.clauses.filter((clause) => !counted.some(({ roles }) => clause.some((role) => roles.includes(role))))
  let isOver = false
  return votes.map(({ by, via, key }) => {
    if (isOver) return 'over'
    // it has no vote of its own, no matter who brings it
    if (isAccount(by)) return 'refused'
    const set = new Set([by])
    if (via !== undefined) {
      if (world.named[by]?.includes(via) !== true) return 'refused'
      const behind = people(world, via, key)
      if (meet(behind, closed) || isMade(via)) return 'refused'
      for (const id of behind) set.add(id)
    }
    if (run.prevent_self && shaped.has(by)) return 'refused'
    if (isMade(by) || counted.some((earlier) => meet(earlier.set, set))) return 'refused'
    const roles = rolesOf(by)
    const bringsRole =
      run.clauses.length === 0 || run.clauses.some((clause) => clause.some((role) => roles.includes(role)))
    if (!bringsRole && run.approvals - counted.length <= unmet().length) return 'refused'
    counted.push({ set, roles })
    isOver = counted.length >= run.approvals && unmet().length === 0
    return isOver ? 'approved' : 'taken'
  })
}
