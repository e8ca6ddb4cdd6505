import { itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('resolvePlan')
