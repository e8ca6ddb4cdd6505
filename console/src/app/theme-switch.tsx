import { useSyncExternalStore } from 'react'
import { chooseTheme, currentTheme, THEMES, watchTheme } from '../lib/theme.ts'
import { STRINGS } from '../strings.ts'

export function ThemeSwitch() {
  const theme = useSyncExternalStore(watchTheme, currentTheme)
  return (
    <label className="flex items-center gap-2 text-sm text-soft">
      <span className="sr-only">{STRINGS.theme.label}</span>
      <select
        value={theme}
        className="rounded border border-line bg-paper px-2 py-1 text-ink"
        onChange={({ target }) => chooseTheme(THEMES.find((each) => each === target.value) ?? 'system')}
      >
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {STRINGS.theme[each]}
          </option>
        ))}
      </select>
    </label>
  )
}
