import { z } from 'zod'
import { RunId } from './schema.ts'

const Remark = z.object({
  by: z.string().meta({ description: 'Id of the user or service account' }),
  name: z.string().meta({ description: 'What they are called', example: 'Ann Approver' }),
  at: z.iso.datetime(),
})

/** Acknowledgements and comments of a gate: no part of a decision. */
export const Remarks = z.object({
  acknowledged: z
    .array(Remark)
    .meta({ description: 'People who are looking at it, in the order in which they said so' }),
  comments: z.array(Remark.extend({ text: z.string() })).meta({ description: 'Comments on it, the oldest first' }),
})

export const GateRemarks = Remarks.extend({ run_id: RunId, gate_id: z.string() }).meta({
  id: 'GateRemarks',
  description: 'Who looks at a gate, and the comments on it. None of it is a vote.',
})
export type GateRemarks = z.infer<typeof GateRemarks>

export const GateComment = z
  .strictObject({
    text: z.string().trim().min(1).max(2_000).meta({ description: 'Plain text; the audit record keeps it' }),
  })
  .meta({
    id: 'GateComment',
    description: 'A comment on an open gate.',
    example: { text: 'The host is in maintenance until 10:00' },
  })
