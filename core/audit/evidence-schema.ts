import { z } from 'zod'
import { Run } from '../run/schema.ts'
import { RunStep } from '../run/step-schema.ts'
import { AuditRecordShown } from './record-schema.ts'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

export const RunEvidence = z
  .object({
    kind: z.literal('svc.run-evidence'),
    v: z.literal(1),
    exported_at: z.iso.datetime(),
    run: Run,
    steps: z
      .array(RunStep)
      .meta({ description: 'In the order of the plan, with plan hashes and digests of their data' }),
    records: z.array(AuditRecordShown).meta({
      description:
        'Its records of the audit log in their order, each as it was hashed; names beside them were not hashed',
    }),
    complete: z
      .boolean()
      .meta({ description: 'All of its records that have a place in the chain; false beyond 5,000' }),
    head: z.object({ seq: z.int().min(0), hash: Hash }).meta({
      description:
        'Where the chain ended at the export. A head that was kept elsewhere proves that the log was not rewritten',
    }),
    how_to_verify: z.array(z.string()),
    digest: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/)
      .meta({ description: 'Over the RFC 8785 text of all other members' }),
  })
  .meta({ id: 'RunEvidence', description: 'Everything that it takes to check a run without the service.' })
export type RunEvidence = z.infer<typeof RunEvidence>

export const HOW_TO_VERIFY = [
  'svc evidence --verify <this file> checks it without the service: the digest of the file, the hash of each record, the links between neighbours, and that answers, plan hashes, outputs and the end of the run are as the records say.',
  'svc evidence --verify <this file> --log <copy of audit.jsonl> also checks that the whole log holds, that it has each of these records and no other of this run, and this head.',
  'By hand: hash = sha256( prev_hash + RFC 8785 text of event ), as lower-case hex.',
  'Alone, this file does not prove that no record is missing or that nobody has computed all hashes again. The log does, compared with a head that was kept elsewhere.',
]
