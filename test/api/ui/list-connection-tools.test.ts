import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'

itIsGuarded('listConnectionTools')
itRefuses('listConnectionTools', sharedWorld, [
  [
    409,
    'conflict',
    async (world, route) => await likeItsExample({ params: { id: await world.connection() } })(world, route),
  ],
])
