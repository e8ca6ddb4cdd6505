import type { JsonObject } from '#core/json/json.ts'
import { type ArtifactDraft, OperatorError, type OperatorResult, type PackEvent, type StepLog } from '#core/operator.ts'
import type { Redactor } from '#core/secret/redactor.ts'

/** What an operator brought back, without the run's secrets: later steps, records and files see nothing else of it. */
export function redactResult(result: OperatorResult, redactor: Redactor): OperatorResult {
  return {
    ...result,
    outputs: redactor.data(result.outputs),
    ...(result.artifacts === undefined
      ? {}
      : { artifacts: result.artifacts.map((artifact) => redactArtifact(artifact, redactor)) }),
    ...(result.events === undefined ? {} : { events: result.events.map((event) => redactEvent(event, redactor)) }),
  }
}

/** The mark of a secret in the name of an event is written in the letters of a topic. */
function redactEvent({ event, data, subject }: PackEvent, redactor: Redactor): PackEvent {
  const shown = redactor.text(event)
  return {
    event: shown === event ? event : shown.replace(/[^A-Za-z0-9_.-]/g, '_'),
    data: redactor.data(data),
    ...(subject !== undefined && { subject: redactor.text(subject) }),
  }
}

/** Bytes that are text are read as such; others stay as they are. */
function redactArtifact(artifact: ArtifactDraft, redactor: Redactor): ArtifactDraft {
  const text = typeof artifact.body === 'string' ? artifact.body : decode(artifact.body)
  const shown = text === undefined ? undefined : redactor.text(text)
  return { ...artifact, name: redactor.text(artifact.name), ...(shown === text ? {} : { body: shown ?? '' }) }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export function redactFailure(error: OperatorError, redactor: Redactor): OperatorError {
  const message = redactor.text(error.message)
  const details = error.details === undefined ? undefined : redactor.data(error.details)
  const { code, retryable, unknown_outcome, cost, retry_after_ms } = error
  return new OperatorError(code, message, {
    retryable,
    unknown_outcome,
    cost,
    retry_after_ms,
    ...(details === undefined ? {} : { details }),
    cause: redactError(error.cause, redactor),
  })
}

/** The same error with nothing secret in its texts, nor in those of its causes. */
export function redactError(error: unknown, redactor: Redactor): unknown {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    const message = redactor.text(at.message)
    const stack = redactor.text(at.stack ?? '')
    if (message !== at.message) at.message = message
    if (stack !== (at.stack ?? '')) at.stack = stack
  }
  return error
}

export function redactedLog(log: StepLog, redactor: Redactor): StepLog {
  const shown = (fields: JsonObject) => redactor.data(fields)
  return {
    info: (fields, message) => log.info(shown(fields), redactor.text(message)),
    warn: (fields, message) => log.warn(shown(fields), redactor.text(message)),
    progress: (message) => log.progress(() => redactor.text(message())),
  }
}
