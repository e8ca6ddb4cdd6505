import { useQuery } from '@tanstack/react-query'
import type { Filter } from '../../components/filter-bar.tsx'
import { grantedEnvironmentsQuery, templatesQuery } from './api.ts'

/**
 * Filters whose environment and template are lists of those of the workspace. One that is set already stays in its list: runs of before may
 * be of one that is gone.
 */
export function useFilterChoices<Name extends string>(
  filters: readonly Filter<Name>[],
  set: Partial<Record<Name, string>>,
): readonly Filter<Name>[] {
  const environments = useQuery(grantedEnvironmentsQuery).data?.map(({ name }) => name)
  const templates = useQuery(templatesQuery).data?.map(({ pack, template }) => `${pack}/${template}`)
  const lists: Readonly<Record<string, string[] | undefined>> = {
    environment: environments,
    template: templates?.sort(),
  }
  return filters.map((filter) => {
    const list = lists[filter.name]
    if (list === undefined) return filter
    const choices = [...new Set([...list, ...(set[filter.name] === undefined ? [] : [set[filter.name] as string])])]
    return { ...filter, choices, names: Object.fromEntries(choices.map((name) => [name, name])) }
  })
}
