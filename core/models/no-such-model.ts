import { didYouMean } from '../did-you-mean.ts'

/** Said of a name that none of the bound models has. */
export function noSuchModel(name: string, ids: readonly string[]): string {
  return `there is no model ${name}${didYouMean(name, ids)}`
}
