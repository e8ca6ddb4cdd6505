import { fileURLToPath } from 'node:url'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { startSmtpSink } from '#test/support/smtp-sink.ts'
import { createEngine, type Engine } from './engine.ts'
import { createForeignWorker, type ForeignWorker } from './foreign-worker.ts'
import { ROLE } from './honest/runs.ts'

const PACKS = fileURLToPath(new URL('../packs/attack', import.meta.url))

/** A server that keeps what it was sent, and when. */
export interface Recorder {
  url: string
  received(): Received[]
  stop(): Promise<void>
}
export type Received = Canary['requests'][number] & { at: number }

export type Voter = 'dora' | 'dave' | 'ann' | 'bob' | 'vic'

export interface World {
  service: TestService
  engine: Engine
  foreign: ForeignWorker
  /** where approved plans have their effects */
  target: Recorder
  /** where nobody ever approved anything to go */
  elsewhere: Recorder
  /** what the notices brought to anybody's mailbox */
  mail: Awaited<ReturnType<typeof startSmtpSink>>
  owner: Member
  /** a schedule whose time does not come */
  schedule_id: string
  starter: Member
  voters: Record<Voter, Member>
  stop(): Promise<void>
}

const environment = (name: string, settings: string) =>
  `name: ${name}\nclass: development\negress: [loopback]\n${settings}`

/** The real service, with authentication on, and everything around it that an attack needs. */
export async function startWorld(servers: { postgres_url: string; temporal_address: string }): Promise<World> {
  const mail = await startSmtpSink()
  const service = await startTestService({
    ...servers,
    env: { ...AUTH_ENV, SVC_PACKS_DIR: PACKS, SVC_LANE_BACKGROUND: '8' },
    files: {
      'environments/quorum.yaml': environment('quorum', 'approval: { min_approvals: 2 }\n'),
      'environments/roles.yaml': environment('roles', ''),
      'environments/others.yaml': environment('others', 'approval: { prevent_self: true }\n'),
      'channels.yaml': `- { name: mail, kind: email, smtp: "${mail.url}", from: svc@example.test, to: [oncall@example.test] }\n`,
      'environments/mailed.yaml': environment('mailed', 'approval: { channels: [mail] }\n'),
      'environments/sealed.yaml': environment('sealed', 'approval: { min_approvals: 2, prevent_self: true }\n'),
      'policies/dba.yaml':
        `name: dba-answers\napplies_to: { environments: [roles, sealed] }\n` +
        `rules: [{ effect: require_hitl, reason: touches data, approval_role: ${ROLE} }]\n`,
    },
  })
  const identities = await createIdentities(service)
  const add = (name: string, member: Parameters<typeof identities.add>[1]) => identities.add(name, member)
  const engine = createEngine(service.temporal.connection, service.namespace)
  const [target, elsewhere] = await Promise.all([startRecorder(), startRecorder()])
  const foreign = createForeignWorker(engine)
  const starter = await add('starter', { roles: ['operator'] })
  return {
    service,
    engine,
    foreign,
    target,
    elsewhere,
    mail,
    owner: identities.owner,
    starter,
    schedule_id: await schedule(service, starter, target.url),
    voters: {
      dora: await add('dora', { roles: ['approver'], approval_roles: [ROLE] }),
      dave: await add('dave', { roles: ['approver'], approval_roles: [ROLE] }),
      ann: await add('ann', { roles: ['approver'] }),
      bob: await add('bob', { roles: ['approver'] }),
      vic: await add('vic', { roles: ['viewer'] }),
    },
    async stop() {
      await foreign.stop()
      await service.stop()
      await target.stop()
      await elsewhere.stop()
      await mail.close()
    },
  }
}

async function schedule(service: TestService, { headers }: Member, url: string): Promise<string> {
  const draft = { name: 'never', cron: '0 0 29 2 *', pack: 'drill', template: 'tick', inputs: { url }, catchup: 'all' }
  const { status, body } = await service.call<{ id: string }>('POST', '/triggers/scheduled', draft, headers)
  if (status !== 201) throw new Error(`no schedule: ${status} ${JSON.stringify(body)}`)
  return body.id
}

async function startRecorder(): Promise<Recorder> {
  const times: number[] = []
  const canary = await startCanary((_request, response) => {
    times.push(Date.now())
    response.setHeader('content-type', 'application/json')
    response.end('{"ok":true}')
  })
  return {
    url: canary.url,
    received: () => canary.requests.map((request, index) => ({ ...request, at: times[index] ?? 0 })),
    stop: canary.stop,
  }
}
