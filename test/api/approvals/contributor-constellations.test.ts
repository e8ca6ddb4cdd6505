import { expect, it } from 'vitest'
import { type Contribution, contributorsAsJson } from '#core/gate/contributors.ts'
import { contributorsOfStart } from '#services/runs/draft-run.ts'
import { judge, type LawRun, type LawVote, type LawWorld } from '#test/support/contributor-law.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { seededRandom } from '#test/support/seeded-random.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

/** Of 25 runs each. `SVC_WORLDS=40` for the whole proof of 1,000 constellations; the small one is for every day. */
const WORLDS = Number(process.env['SVC_WORLDS'] ?? 8)
const RUNS = 25

const database = testDatabase()
const api = testSealedApi(database)

type Headers = Record<string, string>

/** People and accounts, made through the API by those whom the dice name. */
async function makeWorld(dice: Dice) {
  const world: LawWorld = { accounts: {}, named: {}, roles: {}, lent: {} }
  const headers = new Map<string, Headers>()
  const people: string[] = []
  for (let n = 0; n < 6; n += 1) {
    const approval_roles = dice.below(3) === 0 ? ['dba'] : []
    const user = await addUser(api.deps, { roles: ['admin'], workspaces: ['*'], approval_roles })
    people.push(user.id)
    world.roles[user.id] = approval_roles
    headers.set(user.id, await bearer(api.deps, user))
  }
  const by = (id: string) => headers.get(id) ?? {}
  const keys: { id: string; account: string }[] = []
  // accounts that people can name
  const answering: string[] = []
  for (let n = 0; n < 4; n += 1) {
    const earlier = Object.keys(world.accounts)
    // an account that may administer invites the next one now and then
    const inviter = n > 0 && dice.below(3) === 0 ? dice.pick(earlier) : dice.pick(people)
    const isSilent = dice.below(4) === 0
    const approval_roles = dice.below(2) === 0 ? ['dba'] : []
    const scopes = isSilent ? [] : ['approvals:on_behalf']
    const rights = { roles: ['service', 'admin'], scopes, workspaces: ['*'], approval_roles }
    const { id } = await send('POST', '/admin/users', { email: `${dice.word()}@example.test`, ...rights }, by(inviter))
    await send('PATCH', `/admin/users/${id}`, { status: 'active' }, by(dice.pick(people)))
    world.accounts[id] = { inviter, passwords: [], keys: {} }
    world.roles[id] = approval_roles
    if (!isSilent) answering.push(id)
    for (let k = 0; k <= dice.below(2); k += 1) {
      const maker = dice.pick(people)
      const made = await send(
        'POST',
        '/admin/api-keys',
        { account: id, name: 'k', scopes: [...scopes, 'admin'] },
        by(maker),
      )
      world.accounts[id].keys[made.id] = maker
      keys.push({ id: made.id, account: id })
      headers.set(made.id, { authorization: `Bearer ${made.token}` })
    }
    if (dice.below(4) === 0) {
      const setter = dice.pick(people)
      await send('POST', `/admin/users/${id}/password`, { password: 'a long enough password' }, by(setter))
      world.accounts[id].passwords.push(setter)
    }
    const account = await api.deps.identity.users.find(id)
    if (account === undefined) throw new Error('the account was not made')
    headers.set(id, await bearer(api.deps, account))
  }
  for (const person of people) {
    const named = dice.shuffled(answering).slice(0, dice.below(4))
    for (const id of named) await send('PUT', `/auth/me/answering-accounts/${id}`, {}, by(person))
    world.named[person] = named
  }
  if (dice.below(2) === 0) {
    const [lender = '', delegate = ''] = dice.shuffled([...people, ...people, ...Object.keys(world.accounts)])
    const away = { delegate_to: delegate, out_of_office_until: '2099-01-01T00:00:00.000Z' }
    // whether an account may try is no matter here
    if (lender !== delegate)
      await (isAccount(world, lender, delegate) ? tried : send)('PATCH', '/auth/me', away, by(lender))
    world.lent[lender] = delegate
  }
  return { world, people, keys, by }
}

const isAccount = ({ accounts }: LawWorld, ...ids: string[]) => ids.some((id) => accounts[id] !== undefined)

async function tried(method: string, path: string, body: object, headers: Headers): Promise<Response> {
  const type = { 'content-type': 'application/json' }
  return await api.app.request(path, { method, body: JSON.stringify(body), headers: { ...type, ...headers } })
}

async function send(
  method: string,
  path: string,
  body: object,
  headers: Headers,
): Promise<{ id: string; token?: string }> {
  const answer = await tried(method, path, body, headers)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.status === 204 ? { id: '' } : ((await answer.json()) as { id: string })
}

const WRITES: Contribution[] = [
  'wrote_config',
  'wrote_config_preset',
  'wrote_input_preset',
  'wrote_rule',
  'sent_delivery',
]

it(`${WORLDS * RUNS} random constellations are answered as the law says`, { timeout: WORLDS * 75_000 }, async () => {
  const seen = new Map<string, number>()
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    const dice = createDice(seed)
    const { world, people, keys, by } = await makeWorld(dice)
    const accounts = Object.keys(world.accounts)
    const everybody = [...people, ...accounts]
    for (let n = 0; n < RUNS; n += 1) {
      const startKey = dice.below(2) === 0 ? dice.pick(keys) : undefined
      const asker = startKey?.account ?? dice.pick(people)
      const run: LawRun = {
        prevent_self: dice.below(4) !== 0,
        approvals: 1 + dice.below(3),
        clauses: dice.below(3) === 0 ? [['dba']] : [],
        asker,
        ...(startKey && { key: startKey.id }),
        authors: dice.shuffled(everybody).slice(0, dice.below(3)),
        changes: [],
      }
      const asked_by =
        startKey === undefined
          ? { actor: { type: 'user', id: asker }, human_root: { user_id: asker, via: ['api'] } }
          : { actor: { type: 'service', id: asker }, human_root: { via: [startKey.id, asker, 'api'] } }
      const shaped_by = run.authors.map((id) => ({ id, did: dice.pick(WRITES), what: 'nightly' }))
      const contributors = contributorsAsJson(await contributorsOfStart(api.deps.services, { shaped_by }, asked_by))
      const id = await admitTestRun(api, { provenance: { trigger: { type: 'direct' }, ...asked_by, contributors } })
      if (dice.below(3) === 0) {
        const [changer = '', changed = ''] = dice.shuffled(people)
        await send('PATCH', `/admin/users/${changed}`, { approval_roles: world.roles[changed] ?? [] }, by(changer))
        run.changes.push({ by: changer, of: changed })
      }
      const { prevent_self, approvals, clauses: approval_roles } = run
      await parkTestRun(api, id, { required: { prevent_self, approvals, approval_roles } })
      const votes = Array.from({ length: 6 }, (): LawVote => {
        const key = dice.below(2) === 0 ? dice.pick(keys) : undefined
        if (dice.below(4) === 0) return key ? { by: key.account, key: key.id } : { by: dice.pick(accounts) }
        const by = dice.below(8) === 0 ? dice.pick(accounts) : dice.pick(people)
        return key ? { by, via: key.account, key: key.id } : { by: dice.pick(people) }
      })
      const answers: string[] = []
      for (const vote of votes) {
        const body = { decision: 'approve', ...(vote.via !== undefined && { approver: vote.by }) }
        const answer = await api.post(`/runs/${id}/resume`, body, by(vote.key ?? vote.by))
        const { resolved, detail } = (await answer.json()) as { resolved?: boolean; detail?: string }
        if (![200, 403, 409].includes(answer.status)) throw new Error(`${answer.status}: ${detail}`)
        const isOver = answers.includes('approved')
        answers.push(isOver ? 'over' : answer.status !== 200 ? 'refused' : resolved ? 'approved' : 'taken')
        // an account may be refused before anybody asks about the gate
        const isPerson = vote.via === undefined && !isAccount(world, vote.by)
        if (isOver) expect(isPerson ? [409] : [403, 409]).toContain(answer.status)
      }
      const expected = judge(world, run, votes)
      expect({ seed, n, run, votes, answers }).toEqual({ seed, n, run, votes, answers: expected })
      for (const [at, each] of expected.entries()) {
        const of = isAccount(world, votes[at]?.by ?? '') ? `${each} of an account` : each
        seen.set(of, (seen.get(of) ?? 0) + 1)
      }
    }
  }
  // each answer was met often, or this has proven little
  for (const each of ['refused', 'taken', 'approved', 'refused of an account'])
    expect(seen.get(each)).toBeGreaterThan(2 * WORLDS)
})

type Dice = ReturnType<typeof createDice>
function createDice(seed: number) {
  const random = seededRandom(seed)
  const below = (n: number) => Math.floor(random() * n)
  return {
    below,
    word: () => Array.from({ length: 16 }, () => below(36).toString(36)).join(''),
    pick: <T>(all: readonly T[]): T => all[below(all.length)] as T,
    shuffled: <T>(all: readonly T[]): T[] =>
      all
        .map((each) => ({ each, at: random() }))
        .sort((one, other) => one.at - other.at)
        .map(({ each }) => each),
  }
}
