import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import { checkPresetValues } from '#core/preset/check-preset-values.ts'
import { utf8Bytes } from '#core/text/text.ts'
import { findTemplate } from '../packs/contracts.ts'
import type { PresetContext } from './preset-record.ts'

const MAX_BYTES = 65_536

/**
 * Returns the inputs in values. Throws `governance_knob` for governing or secret ones, `validation_failed` for unfit ones,
 * `payload_too_large` for too many bytes.
 */
export function checkValues(
  ctx: Pick<PresetContext, 'packs'>,
  of: { pack: string; template: string },
  values: JsonObject,
): JsonObject {
  const { inputs_schema } = findTemplate(ctx, of.pack, of.template)
  if (storedBytes(values) > MAX_BYTES)
    throw new DomainError('payload_too_large', `The values take more than ${MAX_BYTES} bytes.`, {
      limit_bytes: MAX_BYTES,
    })
  const { inputs, governing, faults } = checkPresetValues(inputs_schema, values)
  const [name] = governing
  const placed = (errors: typeof faults) =>
    errors.map((each) => ({ ...each, pointer: `/values${each.pointer}`, loc: ['values', ...each.loc] }))
  if (name !== undefined)
    throw new DomainError('governance_knob', `${name.pointer}: ${name.msg}`, { errors: placed(governing) })
  const [first] = faults
  if (first !== undefined)
    throw new DomainError('validation_failed', `${first.pointer}: ${first.msg}`, { errors: placed(faults) })
  return inputs
}

/** The database writes numbers out: `1e308` takes 309 digits. */
function storedBytes(values: JsonObject): number {
  const digits = (number: number) => {
    const [mantissa = '', exponent = '0'] = String(number).split('e')
    return mantissa.length + Math.abs(Number(exponent))
  }
  return utf8Bytes(
    JSON.stringify(values, (_name, value: unknown) => (typeof value === 'number' ? '0'.repeat(digits(value)) : value)),
  )
}
