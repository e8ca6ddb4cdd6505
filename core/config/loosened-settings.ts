import { removedEnvironment, SEEDED_ENVIRONMENTS } from '../environment/defaults.ts'
import {
  defaultCapUsd,
  type Environment,
  EVERY_WORKSPACE,
  grantsOf,
  type QueueBinding,
} from '../environment/environment.ts'
import { storedConnection } from '../environment/schema.ts'
import type { FreezeWindow } from '../freeze/freeze-window.ts'

/** Settings of an environment by which something may be laxer after a change. undefined: there is no file. */
export function loosenedSettings(before: Environment | undefined, after: Environment | undefined): string[] {
  const name = (after ?? before)?.name
  if (name === undefined) return []
  const seeded = SEEDED_ENVIRONMENTS.find((each) => each.name === name)
  if (after === undefined && seeded === undefined) return []
  const unset = seeded ?? removedEnvironment(name)
  const [was, is] = [before ?? unset, after ?? unset]
  const isLaxer: [setting: string, laxer: boolean][] = [
    ['class', is.class !== was.class && is.class !== 'production'],
    ['policies', !includesAll(is.policies, was.policies)],
    ['cost_gate.max_usd', capOf(is) > capOf(was)],
    ['cost_gate.daily_usd', orUnlimited(is.cost_gate.daily_usd) > orUnlimited(was.cost_gate.daily_usd)],
    ['approval.prevent_self', was.approval.prevent_self && !is.approval.prevent_self],
    ['approval.min_approvals', is.approval.min_approvals < was.approval.min_approvals],
    ['approval.links', is.approval.links && !was.approval.links],
    ['workspaces', !grantsOf(was).includes(EVERY_WORKSPACE) && !includesAll(grantsOf(was), grantsOf(is))],
    ['egress', !includesAll(was.egress, is.egress)],
    ['queues', !Object.entries(is.queues ?? {}).every(([name, binding]) => keepsQueue(was.queues?.[name], binding))],
    ['processes', !includesAll(programsOf(was), programsOf(is))],
    ['connections', !includesAll(boundIn(was), boundIn(is))],
    ['backends', keptIn(is) !== undefined && keptIn(is) !== keptIn(was)],
    ['freeze', !was.freeze.every((window) => is.freeze.some((other) => covers(other, window)))],
    ['profile', was.profile !== undefined && is.profile !== was.profile],
  ]
  return isLaxer.filter(([, laxer]) => laxer).map(([setting]) => setting)
}

function keepsQueue(was: QueueBinding | undefined, is: QueueBinding): boolean {
  return was?.task_queue === is.task_queue && (was.attest === undefined || was.attest === is.attest)
}

function programsOf({ processes = [] }: Environment): string[] {
  return processes.map((each) => JSON.stringify(each))
}

/** Connections of the console, which the files do not show. */
function boundIn({ connections }: Environment): string[] {
  return Object.entries(connections).flatMap(([id, { url }]) =>
    storedConnection(url) === undefined ? [] : [JSON.stringify([id, url])],
  )
}

/** The connection by which artifacts leave the service. */
function keptIn({ backends }: Environment): string | undefined {
  return backends?.object_connection
}

function capOf({ cost_gate, class: environmentClass }: Environment): number {
  return cost_gate.max_usd ?? defaultCapUsd(environmentClass)
}

function orUnlimited(usd: number | undefined): number {
  return usd ?? Number.POSITIVE_INFINITY
}

function includesAll(whole: readonly string[], part: readonly string[]): boolean {
  return part.every((each) => whole.includes(each))
}

/** Active at the same times, over the same scope or a wider one, with no further approvers. */
function covers(is: FreezeWindow, was: FreezeWindow): boolean {
  return (
    timesOf(is) === timesOf(was) &&
    (is.scope === 'all' || was.scope === 'writes') &&
    includesAll(was.freeze_approvers, is.freeze_approvers)
  )
}

function timesOf(window: FreezeWindow): string {
  return 'cron' in window
    ? JSON.stringify([window.cron, window.duration_ms, window.timezone])
    : JSON.stringify([window.interval.from, window.interval.to])
}
