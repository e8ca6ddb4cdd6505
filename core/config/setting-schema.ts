import { z } from 'zod'

export const SettingRecord = z
  .object({
    name: z.string().meta({ example: 'SVC_PORT' }),
    value: z.string().nullable().meta({ description: 'Null when it is unset; secrets are hidden', example: '9090' }),
    default: z.string().nullable(),
    source: z.enum(['env', 'default']),
    takes: z.string(),
    meaning: z.string(),
  })
  .meta({ id: 'SettingRecord', description: 'A setting of the process that answers, as `svc config` prints it' })
export type SettingRecord = z.infer<typeof SettingRecord>
