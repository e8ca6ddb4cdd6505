import type { AlertPorts } from './alerts/alert-fold.ts'
import type { Bus } from './bus/bus.ts'
import type { CommonPorts, DecisionPorts, Engine, ServiceContext, StartPorts } from './context.ts'

/** The context of alerts, patterns and signed deliveries: they start runs, and their recovery may end them. */
export type IntakeContext = ServiceContext & StartPorts & DecisionPorts & AlertPorts

/** The dependencies of all verbs, built once per process. */
export interface ServiceDeps
  extends CommonPorts,
    Omit<StartPorts, 'engine'>,
    Omit<DecisionPorts, 'engine'>,
    AlertPorts {
  engine: Engine
  /** reaches the subscribers of every process, with either bus */
  bus: Pick<Bus, 'publish'>
}
