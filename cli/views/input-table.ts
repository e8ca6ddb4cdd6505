import { z } from 'zod'
import type { Column } from './table.ts'

/** The used part of the JSON Schema of inputs. */
const inputsSchema = z.object({
  required: z.array(z.string()).optional(),
  properties: z
    .record(
      z.string(),
      z.looseObject({
        type: z.union([z.string(), z.array(z.string())]).optional(),
        enum: z.array(z.unknown()).optional(),
        default: z.unknown().optional(),
        title: z.string().optional(),
        description: z.string().optional(),
      }),
    )
    .optional(),
})

export interface Input {
  name: string
  required: boolean
  takes: string
  preset: string
  meaning: string
}

export const INPUT_COLUMNS: Column<Input>[] = [
  { title: 'INPUT', text: ({ name }) => name },
  { title: 'TAKES', text: ({ takes }) => takes },
  { title: 'REQUIRED', text: ({ required }) => (required ? 'yes' : '') },
  { title: 'DEFAULT', text: ({ preset }) => preset },
  { title: 'MEANING', text: ({ meaning }) => meaning, cut: true },
]

/** The inputs that a JSON Schema describes, the required ones first. */
export function inputsOfSchema(schema: unknown): Input[] {
  const { required = [], properties = {} } = inputsSchema.safeParse(schema).data ?? {}
  return Object.entries(properties)
    .map(([name, { type, enum: choices, default: preset, title, description }]) => ({
      name,
      required: required.includes(name),
      takes: choices?.map(String).join('|') ?? [type ?? []].flat().join('|'),
      preset: preset === undefined ? '' : JSON.stringify(preset),
      meaning: [title, description].filter(Boolean).join('. '),
    }))
    .sort((one, other) => Number(other.required) - Number(one.required))
}

export function shortInputs(inputs: readonly Input[]): string {
  return inputs.map(({ name, required }) => (required ? name : `[${name}]`)).join(' ')
}

/** The options that a start cannot do without. */
export function neededInputs(inputs: readonly Input[]): string {
  return inputs
    .filter(({ required }) => required)
    .map(({ name }) => ` -i ${name}=…`)
    .join('')
}
