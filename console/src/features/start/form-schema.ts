import { type ErrorSchema, ErrorSchemaBuilder, type RJSFSchema, type UiSchema } from '@rjsf/utils'
import type { Fault } from '../../lib/api.ts'
import type { Contract, Inputs } from './api.ts'

export interface InputFault extends Fault {
  loc: readonly (string | number)[]
}

const LONG = 200

/** The layout of a contract's fields: in its order, long texts over several lines, secrets hidden. */
export function uiSchemaOf({ inputs, ui }: Pick<Contract, 'inputs' | 'ui'>): UiSchema<Inputs> {
  const found: UiSchema<Inputs> = {
    'ui:order': [...ui.order, '*'],
    // the form around it has the button
    'ui:submitButtonOptions': { norender: true },
  }
  for (const [name, schema] of Object.entries(propertiesOf(inputs))) {
    const { type, maxLength, widget, enum: choices, format, pattern, example } = schema
    const isText = type === 'string' && choices === undefined && format === undefined
    // a text of a certain form has one line
    const isLong = pattern === undefined && widget === undefined && Number(maxLength ?? 0) > LONG
    found[name] = {
      ...(isText && (widget === 'textarea' || isLong) && { 'ui:widget': 'textarea' }),
      ...(typeof example === 'string' && { 'ui:placeholder': example }),
    }
  }
  for (const pointer of ui.secret) place(found, pointerParts(pointer))
  return found
}

/** The inputs without those that hold a secret, which are kept nowhere. */
export function withoutSecrets(inputs: Inputs, { secret }: Contract['ui']): Inputs {
  const hidden = new Set(secret.map((pointer) => pointerParts(pointer)[0]))
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !hidden.has(name)))
}

/** The server's faults, by field. */
export function errorSchemaOf(faults: readonly InputFault[]): ErrorSchema<Inputs> {
  const builder = new ErrorSchemaBuilder<Inputs>()
  for (const { loc, msg } of faults) builder.addErrors(msg, [...loc])
  return builder.ErrorSchema
}

/** Of the field at this place, as the form numbers its fields. */
export function fieldId(loc: readonly (string | number)[]): string {
  return ['inputs', ...loc].join('_')
}

export function propertiesOf(inputs: RJSFSchema | Inputs): Record<string, Record<string, unknown>> {
  const { properties } = inputs
  return typeof properties === 'object' && properties !== null
    ? (properties as Record<string, Record<string, unknown>>)
    : {}
}

function place(schema: UiSchema<Inputs>, [name, ...rest]: string[]): void {
  if (name === undefined) return
  const own: UiSchema<Inputs> = (schema[name] as UiSchema<Inputs> | undefined) ?? {}
  schema[name] = own
  if (rest.length === 0) own['ui:widget'] = 'secret'
  else place(own, rest)
}

function pointerParts(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
