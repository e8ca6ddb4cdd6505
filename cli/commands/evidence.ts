import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { ApiClient } from '#cli/client/api-client.ts'
import { runIdOf } from '#cli/client/named-records.ts'
import { EXIT } from '#cli/exit-codes.ts'
import { counted, printable } from '#cli/views/format.ts'
import { RunEvidence } from '#core/audit/evidence-schema.ts'
import { verifyEvidence } from '#core/audit/verify-evidence.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { sha256, verifyFile } from '#platform/audit-sink/verify-range.ts'

interface EvidenceDeps {
  api(workspace?: string): Pick<ApiClient, 'runs' | 'evidence'>
  out(text: string): void
  exit(code: number): void
}

interface EvidenceFlags {
  out?: string
  verify?: string
  log?: string
  json?: boolean | undefined
  workspace?: string
}

/** `svc evidence`: saves what it takes to check a run elsewhere, and checks it without the service. */
export function registerEvidence(program: Command, deps: EvidenceDeps): void {
  program
    .command('evidence')
    .description('save what an auditor needs to check a run, or check such a file without the service')
    .argument('[run]', 'its id, or the first characters of it')
    .option('--out <path>', 'where to save it (default: <run>.evidence.json)')
    .option('--verify <path>', 'check this file; nothing is asked of the service')
    .option('--log <path>', 'with --verify: also check it against this copy of audit.jsonl')
    .option('--json', 'print JSON')
    .option('--workspace <id or name>', 'where the run belongs (default: SVC_WORKSPACE, else your own)')
    .addHelpText(
      'after',
      '\nExit status: 0 saved, or everything holds, 1 something does not hold, 69 a file cannot be read or written.',
    )
    .action((named: string | undefined, flags: EvidenceFlags) => {
      if ((named === undefined) === (flags.verify === undefined))
        throw new DomainError('validation_failed', 'name a run, or a file with --verify')
      return named === undefined ? verify(flags, deps) : save(named, flags, deps)
    })
}

async function save(named: string, { out, json, workspace }: EvidenceFlags, deps: EvidenceDeps): Promise<void> {
  const api = deps.api(workspace)
  const id = await runIdOf(api, named)
  const evidence = await api.evidence(id)
  const path = out ?? `${id}.evidence.json`
  // never over another file: it may be evidence as well
  const failed = await writeFile(path, `${visibleJson(evidence)}\n`, { flag: 'wx' }).catch((error: Error) => error)
  if (failed instanceof Error) return unreadable(failed, deps)
  const { records, head, digest } = evidence
  if (json) return deps.out(visibleJson({ path, records: records.length, head, digest }))
  deps.out(
    printable(`saved ${path}: ${counted(records.length, 'record')}, the chain ended at ${head.seq} ${head.hash}`),
  )
  deps.out(printable(`check it without the service: svc evidence --verify ${path}`))
}

function unreadable(error: Error, deps: EvidenceDeps): void {
  deps.out(printable(error.message))
  deps.exit(EXIT.unavailable)
}

async function verify({ verify: path = '', log, json }: EvidenceFlags, deps: EvidenceDeps): Promise<void> {
  const read = await readEvidence(path).catch((error: Error) => error)
  if (read instanceof Error) return unreadable(read, deps)
  if (!('digest' in read)) return report(read, { json, ...deps })
  const { faults, links } = verifyEvidence(read, sha256)
  const inLog = log === undefined ? undefined : await compareLog(read, log).catch((error: Error) => error)
  if (inLog instanceof Error) return unreadable(inLog, deps)
  report(
    { faults: [...faults, ...(inLog?.faults ?? [])], links, evidence: read, later: inLog?.later },
    { json, ...deps },
  )
}

async function readEvidence(path: string): Promise<RunEvidence | { faults: string[] }> {
  const text = await readFile(path, 'utf8')
  const value = jsonOf(text)
  if (!RunEvidence.safeParse(value).success) return { faults: ['this is no evidence of a run, or of another version'] }
  // a member that stands twice, for example, would be read in two ways
  if (![JSON.stringify(value), visibleJson(value)].includes(text.trimEnd()))
    return { faults: ['this file is not as it was saved: it was written again, or has a member twice'] }
  // what was parsed lacks members that this version does not know, and the digest is over them too
  return value as RunEvidence
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Checks the whole log, and that it has each record of the evidence, no other of its run up to then, and its head; and counts those of its run
 * that came later.
 */
async function compareLog(
  { run, records, head }: RunEvidence,
  path: string,
): Promise<{ faults: string[]; later: number }> {
  const hashes = new Map(records.map(({ seq, hash }) => [seq, hash]))
  const [found, more] = [new Set<number>(), [] as number[]]
  let [hasHead, later] = [head.seq === 0, 0]
  const { broken } = await verifyFile(path, {
    onRecord({ seq, hash, event }) {
      if (seq === head.seq && hash === head.hash) hasHead = true
      if (hashes.get(seq) === hash) found.add(seq)
      else if (event.run_id === run.id && seq <= head.seq) more.push(seq)
      else if (event.run_id === run.id) later += 1
    },
  })
  const missing = [...hashes.keys()].filter((seq) => !found.has(seq))
  const faults = [
    ...(broken === undefined ? [] : [`the log is broken at record ${broken.seq}: ${broken.detail}`]),
    ...missing.map((seq) => `record ${seq} is not in the log`),
    ...more.map((seq) => `record ${seq} of the log is missing here`),
    ...(hasHead ? [] : [`the log does not have the head ${head.seq} ${head.hash}`]),
  ]
  return { faults, later }
}

interface Result {
  faults: string[]
  links?: number
  evidence?: RunEvidence
  /** records of the run in the log after the head; undefined without a log */
  later?: number | undefined
}

function report(
  { faults, links = 0, evidence, later }: Result,
  { out, exit, json }: EvidenceDeps & Pick<EvidenceFlags, 'json'>,
): void {
  const about = evidence && {
    run_id: evidence.run.id,
    exported_at: evidence.exported_at,
    records: evidence.records.length,
    links,
    head: evidence.head,
    log: later !== undefined,
    ...(later !== undefined && { later }),
  }
  if (json) out(visibleJson({ ok: faults.length === 0, ...about, faults }))
  else {
    for (const fault of faults) out(printable(`WRONG: ${fault}`))
    if (evidence !== undefined && faults.length === 0) {
      const { run, records, head, exported_at } = evidence
      out(
        printable(
          `${run.id} ${run.status}: ${counted(records.length, 'record')} hold, ${counted(links, 'link')} between neighbours`,
        ),
      )
      out(printable(`the chain ended at ${head.seq} ${head.hash} when it was saved, ${exported_at}`))
      out(
        later === undefined
          ? 'not proved: that no record is missing, or that nobody has computed all hashes again; give a copy of audit.jsonl with --log, and compare the head with one that was kept elsewhere'
          : 'the whole log holds, and has exactly these records of the run up to that head; compare the head with one that was kept elsewhere',
      )
      if (later !== undefined && later > 0)
        out(`the log has ${counted(later, 'later record')} of the run: this file does not tell all that became of it`)
    }
  }
  exit(faults.length === 0 ? EXIT.ok : EXIT.failed)
}
