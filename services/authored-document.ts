import type { Done } from '#core/attempt.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError, type FieldError } from '#core/errors.ts'
import type { FileFault } from '#core/file-fault.ts'
import { AuthoredName } from '#core/policy/console-schema.ts'
import { auditBy } from './audit/read-audit.ts'
import type { ServiceContext } from './context.ts'

/** The person or the account that a text is by. */
export function authorOf({ actor }: Pick<ServiceContext, 'actor'>): string {
  return actor.id
}

/** Returns what a change was found to loosen when it was made. */
export function loosensOf({ data }: Done): string[] {
  const { loosens } = data
  return Array.isArray(loosens) ? loosens.map(String) : []
}

/** Throws `validation_failed` that lists every fault with its place. */
export function refuseFaults(faults: readonly FileFault[]): void {
  const wrong = faults.filter(({ warning }) => warning !== true)
  const [first] = wrong
  if (first === undefined) return
  const more = wrong.length > 1 ? ` (and ${wrong.length - 1} more)` : ''
  throw new DomainError('validation_failed', `${placed(first)}${first.message}${more}`, {
    errors: wrong.map(
      ({ line, column, message }): FieldError => ({
        pointer: '',
        loc: [],
        msg: message,
        type: 'document',
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
      }),
    ),
  })
}

/** Checks the name in a text: it is part of an address, and cannot change. */
export function mustBeNamed(kind: string, name: string, stored: string | undefined): void {
  const named = AuthoredName.safeParse(name)
  if (!named.success)
    refuseFaults(named.error.issues.map(({ message }) => ({ file: kind, message: `the name ${name} ${message}` })))
  if (stored !== undefined && stored !== name) {
    const message = `the document says ${JSON.stringify(name)}, it is stored as ${JSON.stringify(stored)}`
    refuseFaults([{ file: kind, message }])
  }
}

function placed({ line, column }: FileFault): string {
  if (line === undefined) return ''
  return column === undefined ? `line ${line}: ` : `line ${line}, column ${column}: `
}

/** Returns likely mistakes, and for a stored document also the faults that it has since got. */
export function problemsOf(faults: readonly FileFault[]) {
  return faults.map(({ file: _file, ...problem }) => problem)
}

/** Makes the error of a change that lost against a concurrent one. */
export function overtaken(): DomainError {
  return new DomainError('conflict', 'Another user changed it at the same moment; read it and try again.', {
    retry_after_s: 1,
  })
}

/** There are as many as there may be. */
export function limitReached(limit: number, of: string): DomainError {
  return new DomainError('conflict', `The limit of ${limit} ${of} is reached.`)
}

/** The digest by which audit records, and what notices changes of the configuration, name a text. */
export function digestOf({ sha256 }: Pick<ServiceContext, 'sha256'>, text: string): string {
  return `sha256:${sha256(text)}`
}

/** Drafts the record of a change of a console document, with the digests of the texts before and after it. */
export function authoredAudit(
  ctx: Pick<ServiceContext, 'actor' | 'attempt' | 'channel' | 'clock' | 'ids' | 'sha256' | 'workspace_id'>,
  change: {
    action: string
    subject: AuditDraft['subject']
    before?: string | undefined
    after?: string | undefined
    data: AuditDraft['data']
  },
): AuditDraft {
  const { action, subject, before, after, data } = change
  return auditBy(ctx, {
    category: 'config',
    action,
    workspace_id: ctx.workspace_id,
    subject,
    data: {
      layer: 'console',
      before: before === undefined ? null : digestOf(ctx, before),
      after: after === undefined ? null : digestOf(ctx, after),
      ...data,
    },
  })
}

/** `If-Match` compares strongly: `*`, or one of the tags (RFC 9110 section 13.1.1). */
export function mustMatch(if_match: string | undefined, etag: string, what = 'It'): void {
  const matches = if_match?.split(',').some((tag) => tag.trim() === '*' || tag.trim() === etag) ?? true
  if (!matches) throw new DomainError('version_conflict', `${what} has changed since it was read.`, { etag })
}
