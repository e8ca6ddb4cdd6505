import type { AuditLine } from '#core/audit/line.ts'
import type { Environment, Profile } from '#core/environment.ts'
import type { Ids } from '#core/id.ts'
import type { StepLog } from '#core/operator.ts'
import type { OperatorCatalog } from '#core/operator-catalog.ts'
import type { PolicySource } from '#core/policy/types.ts'
import type { Clock } from '#core/time.ts'
import type { RunStore } from '#store/runs.ts'

/** Named points around the operator at which a test may kill the process. */
export type FaultPoint =
  | 'before_open'
  | 'before_operator'
  | 'after_operator'
  | 'after_settle'
  | 'after_park'
  | 'after_close'

/** Everything an activity needs, built once in the worker's main. */
export interface ActivityDeps {
  runs: RunStore
  policies: PolicySource
  environments: { get(name: string): Environment | undefined; profile(name: string): Profile }
  operators: OperatorCatalog
  audit: AuditLine
  clock: Clock
  ids: Ids
  sha256: (text: string) => string
  log: StepLog
  /** resolves a connection of an environment */
  connect(environment: Environment, id: string): Promise<{ kind: string; url: string }>
  /** tells watchers that a run has news */
  ring(runId: string): void
  approval_ttl_hours: number
  fault(point: FaultPoint): void
}
