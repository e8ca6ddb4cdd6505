import { z } from 'zod'

export const SUMMARY_WINDOWS = ['24h', '7d', '30d', '90d'] as const
export type SummaryWindow = (typeof SUMMARY_WINDOWS)[number]

const Usd = z.number().min(0).meta({ example: 0.0056 })
const Spent = {
  calls: z.int().meta({ description: 'Attempts, each of which is one request to a provider' }),
  usd: Usd,
}

/** Cost and refusals of model calls. */
export const GatewaySummary = z
  .object({
    window: z.object({ from: z.iso.datetime(), to: z.iso.datetime() }),
    generated_at: z.iso.datetime(),
    complete: z
      .boolean()
      .meta({ description: 'False where there were more calls than are counted: then the newest are' }),
    totals: z.object({
      ...Spent,
      overrun_usd: Usd.meta({ description: 'What providers report beyond what was reserved' }),
      reported: z.int().meta({ description: 'Charged by what the provider reports' }),
      estimated: z.int().meta({ description: 'Charged in full, because their usage is unknown' }),
      unspent: z.int().meta({ description: 'Turned down before anything was spent' }),
    }),
    by_model: z.array(z.object({ model: z.string(), ...Spent })),
    by_run: z.array(z.object({ run_id: z.string().optional(), ...Spent })).meta({
      description: 'Without `run_id`: calls for no run',
    }),
    by_person: z.array(
      z.object({
        person: z.string().meta({ example: 'usr_local' }),
        name: z.string().optional(),
        key_id: z.string().optional().meta({ description: 'The API key that they called with' }),
        key_name: z.string().optional(),
        ...Spent,
      }),
    ),
    by_day: z.array(z.object({ day: z.iso.date(), ...Spent })).meta({ description: 'UTC days, oldest first' }),
    open: z
      .object({ calls: z.int(), reserved_usd: Usd, oldest_at: z.iso.datetime().optional() })
      .meta({ description: 'Calls that are under way at this moment' }),
    refusals: z
      .array(z.object({ code: z.string().meta({ example: 'BudgetExceeded' }), count: z.int() }))
      .meta({ description: 'Calls that were refused before a provider was called, by the audit log' }),
  })
  .meta({ id: 'GatewaySummary', description: 'What calls of models cost, and what was refused' })
export type GatewaySummary = z.output<typeof GatewaySummary>
