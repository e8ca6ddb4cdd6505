import { z } from 'zod'
import { visibleLine } from '../text/visible-text.ts'

const ViewPage = z.enum(['gates', 'runs']).meta({ description: 'The list that it is about', example: 'gates' })

export const ViewName = z.object({
  page: ViewPage,
  name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .refine((name) => visibleLine(name) === name, 'has characters that cannot be seen')
    .meta({ description: 'What its owner calls it', example: 'production, high risk' }),
})
export type ViewName = z.infer<typeof ViewName>

export const SavedView = ViewName.extend({
  search: z
    .record(z.string().regex(/^[a-z_]{1,40}$/), z.string().min(1).max(500))
    .refine((search) => Object.keys(search).length <= 20, 'has more than 20 filters')
    .meta({
      description: 'The filters as they stand in the address of the list; at most 20',
      example: { environment: 'production', risk: 'high' },
    }),
}).meta({
  id: 'SavedView',
  description: 'Filters of a list in the console that a person keeps under a name.',
  example: { page: 'gates', name: 'production, high risk', search: { environment: 'production', risk: 'high' } },
})
export type SavedView = z.infer<typeof SavedView>
