import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('makeInputPresetDefault')
itRefuses('makeInputPresetDefault', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('presets')],
])
