import { createHash } from 'node:crypto'
import type { Config } from '#platform/config.ts'
import { createIds } from '#platform/ids.ts'
import { createConsoleRules } from '#platform/rules/console-rules.ts'
import { createCommandSeal, createSecretBox } from '#platform/secret-box.ts'
import { createAlertStore } from '#store/alerts/alerts.ts'
import { createConsoleDocuments } from '#store/authored/console-documents.ts'
import { createPresetStore } from '#store/authored/presets.ts'
import { createBusLog } from '#store/bus/bus-log.ts'
import type { Db } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createHaltRefusals } from '#store/halt-refusals.ts'
import { createHaltStore } from '#store/halts.ts'
import { createRunStore } from '#store/runs/runs.ts'
import type { TenantDb } from '#store/tenant-db.ts'
import { createUserStore } from '#store/users.ts'
import { createAlertFold } from './alerts/alert-fold.ts'
import { recordDecision } from './approvals/record-decision.ts'
import { createPeople } from './auth/create-people.ts'
import { NOBODY } from './auth/known-people.ts'
import { createOutboxPublisher } from './bus/hand-out-outbox.ts'
import { recordCancel } from './runs/record-cancel.ts'
import type { ServiceDeps } from './service-deps.ts'

export interface ServiceParts
  extends Pick<ServiceDeps, 'engine' | 'notifyRun' | 'subscribe' | 'later' | 'onAdmission'> {
  db: Db
  tenants: TenantDb
  content: Pick<ServiceDeps, 'packs' | 'policies' | 'environments'>
  clock: ServiceDeps['clock']
  /** new ones unless they are given */
  ids?: ServiceDeps['ids'] | undefined
}

/** Builds the dependencies of verbs, the same in every process that calls them. */
export function createServiceDeps({ auth, secretKey }: Config, parts: ServiceParts): ServiceDeps {
  const { db, tenants, content, engine, notifyRun, subscribe, later, onAdmission, clock, ids } = parts
  const { packs, policies, environments } = content
  const runs = createRunStore(db, tenants)
  const decisions = createGateDecisions(db)
  const seal = secretKey === undefined ? undefined : createCommandSeal(secretKey)
  const open = auth.jwtSecret === undefined
  const common = {
    clock,
    ids: ids ?? createIds(),
    notifyRun,
    runs,
    decisions,
    open,
    verify: seal?.verify,
    // recorded votes by signal count here as in the workers
    signals_approve: open || auth.temporalApprovals,
  }
  const writer = {
    ...common,
    // the worker that leads reads the outbox
    audit: { offer: () => undefined },
  }
  const users = createUserStore(db)
  return {
    ...common,
    record: {
      decision: (claim) => recordDecision(writer, claim),
      cancel: (claim) => recordCancel(writer, claim),
    },
    halts: createHaltStore(db),
    halt_refusals: createHaltRefusals(db),
    engine,
    packs,
    policies,
    environments,
    console_rules: createConsoleRules({ load: createConsoleDocuments(db, 'rule').list }),
    accounts: users,
    presets: createPresetStore(db, tenants),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    ...(secretKey !== undefined && { secrets: createSecretBox(secretKey) }),
    ...(subscribe !== undefined && { subscribe }),
    bus: createOutboxPublisher(createBusLog(db)),
    later,
    alertFold: createAlertFold(createAlertStore(db)),
    people: auth.jwtSecret === undefined ? NOBODY : createPeople(users),
    ...(seal !== undefined && { sign: seal.sign }),
    ...(onAdmission !== undefined && { onAdmission }),
  }
}
