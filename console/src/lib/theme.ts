export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'svc.theme'
const watchers = new Set<() => void>()
const dark = window.matchMedia('(prefers-color-scheme: dark)')

export function currentTheme(): Theme {
  return THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system'
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  showTheme()
  for (const tell of watchers) tell()
}

/** Calls back at every choice; answers with what ends that. */
export function watchTheme(tell: () => void): () => void {
  watchers.add(tell)
  return () => void watchers.delete(tell)
}

/** Follows the choice, and the system where there is none. */
export function showTheme(): void {
  const theme = currentTheme()
  document.documentElement.dataset['theme'] = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
}

dark.addEventListener('change', showTheme)
