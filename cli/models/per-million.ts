import { InvalidArgumentError } from 'commander'
import type { MicroUsd } from '#core/money.ts'

/** US dollars for a million tokens, as the micro-dollars of `models.yaml`: exact, so that 0.15 is 150000. */
export function perMillion(text: string): MicroUsd {
  const [, whole, fraction = ''] = /^(\d{1,5})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  if (whole === undefined)
    throw new InvalidArgumentError('US dollars with at most six decimals, such as 0.15; 0 where it costs nothing')
  return Number(`${whole}${fraction.padEnd(6, '0')}`)
}
