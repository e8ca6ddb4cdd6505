import { DomainError } from '#core/errors.ts'
import { type Contributor, contributorsOf } from '#core/gate/contributors.ts'
import type { StartRequest } from '#core/halt/refused-schema.ts'
import { runIdOfDelivery } from '#core/inbox/item.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { isObject, type JsonObject, objectOf, textOf, textOrNull } from '#core/json/json.ts'
import { TRIGGER_TYPES } from '#core/run/search.ts'
import { cutText, utf8Bytes } from '#core/text/text.ts'
import type { AlertRecord } from '#core/trigger/alert-record.ts'
import type { NewHaltRefusal } from '#store/halt-refusals.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import { invalid } from '../auth/user-rules.ts'
import { type HaltPorts, humanRoot, type ServiceContext } from '../context.ts'
import type { Admission } from '../runs/admission.ts'
import { splitInputs } from '../runs/configure-inputs.ts'

const MAX_REQUEST_BYTES = 65_536
const MAX_TITLE_CHARS = 200

const REPEATS = [
  { type: 'again', operation: 'startAgain', path: 'start-again' },
  { type: 'retry', operation: 'retryRun', path: 'retry' },
] as const

/** A start that a halt refused: as it was requested, or already drafted. */
export type HaltedStart = Admission | RunDraft

/** Returns the record of a start that a halt refused; undefined for a run of a pipeline, which is retried by itself, and for a dry run. */
export function refusedStart(
  ctx: Pick<ServiceContext, 'actor' | 'channel' | 'ids' | 'packs' | 'replay_of' | 'sha256' | 'workspace_id'>,
  start: HaltedStart,
  { halt_id, environment }: { halt_id: string; environment: string },
): NewHaltRefusal | undefined {
  const trigger = triggerOf(start)
  if (trigger['type'] === 'pipeline' || start.dry_run === true) return undefined
  const { pack, template, alert, reason } = start
  const hasSecrets = holdsSecrets(ctx, start)
  const request = hasSecrets ? null : requestOf(start, trigger, environment)
  const delivery_id = ctx.replay_of ?? textOrNull(trigger['delivery_id'])
  const fingerprint = start.fingerprint ?? null
  const words = hasSecrets ? '' : (reason ?? '')
  const what = alert?.title || textOf(trigger['name']) || words || `${pack}/${template}`
  const same = fingerprint ?? [pack, template, trigger['schedule_id'] ?? null, ctx.actor.id, request ?? delivery_id]
  const id = ctx.ids.next('halt_refusal')
  return {
    id,
    halt_id,
    workspace_id: ctx.workspace_id,
    key: ctx.sha256(canonicalText([same, environment])),
    trigger_type: TRIGGER_TYPES.find((type) => type === trigger['type']) ?? 'direct',
    pack,
    template,
    environment,
    title: cutText(what, MAX_TITLE_CHARS),
    requested_by: cutText(textOf(trigger['source']) || ctx.actor.display, MAX_TITLE_CHARS),
    request:
      request !== null && utf8Bytes(JSON.stringify(request)) <= MAX_REQUEST_BYTES
        ? startingOnce(request, textOrNull(trigger['refusal']) ?? id)
        : null,
    delivery_id,
    fingerprint,
    refused: Math.max(1, start.alerts?.length ?? 0),
    contributors: shapersOf(ctx, start),
  }
}

/** An alert starts once by its fingerprint; anything else by the id of what was refused first. */
function startingOnce(request: StartRequest, refusal: string): StartRequest {
  return request.operation === 'receiveAlerts' ? request : { ...request, body: { ...request.body, refusal } }
}

/** Everyone who shaped it; whoever starts it afterwards asks for it alone. */
function shapersOf(ctx: Pick<ServiceContext, 'actor' | 'channel'>, start: HaltedStart): Contributor[] {
  const shapers =
    'plan' in start
      ? contributorsOf(start.provenance)
      : [...contributorsOf(askersOf(ctx, start)), ...(start.shaped_by ?? [])]
  return shapers.map(({ asked: _asked, ...each }) => (each.did === 'started' ? { ...each, did: 'asked' } : each))
}

function askersOf(ctx: Pick<ServiceContext, 'actor' | 'channel'>, { human_root }: Admission): JsonObject {
  return { actor: { type: ctx.actor.type, id: ctx.actor.id }, human_root: human_root ?? humanRoot(ctx) }
}

function triggerOf(start: HaltedStart): JsonObject {
  return 'trigger' in start ? start.trigger : objectOf(start.provenance['trigger'])
}

function holdsSecrets({ packs }: Pick<ServiceContext, 'packs'>, start: HaltedStart): boolean {
  if ('plan' in start) return start.sealed !== undefined
  const schema = packs.findTemplate(start.pack, start.template)?.inputs_schema
  return schema !== undefined && Object.keys(splitInputs(schema, start.inputs).secrets).length > 0
}

/**
 * An alert is sent again as it was, so that its rule and its fingerprint apply; a retry is requested again, so that it takes over the steps that
 * succeeded; anything else is started with its inputs.
 */
function requestOf(start: HaltedStart, trigger: JsonObject, environment: string): StartRequest {
  const { alert, pack, template, inputs, profile, reason, labels } = start
  if (alert !== undefined && trigger['type'] === 'alert')
    return {
      operation: 'receiveAlerts',
      method: 'POST',
      path: '/triggers/alert?source=generic',
      body: alertBody(alert),
    }
  const repeat = REPEATS.find(({ type }) => type === trigger['type'])
  if (repeat !== undefined)
    return {
      operation: repeat.operation,
      method: 'POST',
      path: `/runs/${textOf(trigger['parent_run_id'])}/${repeat.path}`,
      body: reason == null ? {} : { reason },
    }
  return {
    operation: 'runTemplate',
    method: 'POST',
    path: `/packs/${pack}/${template}/run`,
    body: {
      inputs,
      environment,
      ...(profile !== undefined && { profile }),
      ...(start.config_preset != null && { config_preset: start.config_preset }),
      ...(reason != null && reason !== '' && { reason }),
      ...(isObject(labels) && Object.keys(labels).length > 0 && { labels }),
    },
  }
}

function alertBody({ digest: _digest, cut: _cut, values, ...alert }: AlertRecord): JsonObject {
  const named = Object.entries(values ?? {}).map(([name, value]) => [`values.${name}`, value])
  return { ...alert, status: 'firing', annotations: { ...alert.annotations, ...Object.fromEntries(named) } }
}

/**
 * Returns what the start of a refused one adds: the id of its run follows from that of the refusal, so that it starts once, and everyone who
 * shaped it shapes the run. Throws `validation_failed` where no halt has refused that here, and `halted` while its requester is halted.
 */
export async function startOfRefusal(
  { halt_refusals, workspace_id }: Pick<HaltPorts, 'halt_refusals'> & Pick<ServiceContext, 'workspace_id'>,
  refusal: string | undefined,
  { pack, template }: { pack: string; template: string },
): Promise<{ run_id?: string; shaped_by?: Contributor[] }> {
  if (refusal === undefined) return {}
  const found = await halt_refusals.find(workspace_id, refusal)
  if (found?.pack !== pack || found.template !== template)
    throw invalid('/refusal', `no halt has refused ${refusal} of ${pack}/${template} in this workspace`)
  const { halt_id, reason, is_held } = found
  if (is_held)
    throw new DomainError('halted', `the halt that refused it is in force: ${reason} (${halt_id})`, { halt_id, reason })
  return { run_id: runIdOfDelivery(refusal), shaped_by: found.contributors }
}
