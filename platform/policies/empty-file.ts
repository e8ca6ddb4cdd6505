import type { LayerPolicies } from '#core/policy/layer.ts'

/** A file that is there and says nothing may be one that is being saved, or that was cut off. */
export const EMPTY_FILE = 'no policy in this file; to have none, remove the file'

/** Whether a file holds no policy document: it is empty, or all of it is comments or null. */
export function isEmptyFile({ policies, broken }: LayerPolicies): boolean {
  return policies.length === 0 && broken.length === 0
}
