import { useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useSyncExternalStore } from 'react'
import type { Session } from '../lib/session.ts'
import { chooseTheme, currentTheme, THEMES, watchTheme } from '../lib/theme.ts'
import { useSignOut } from '../lib/use-sign-out.ts'
import { ME } from '../strings/me.ts'
import { STRINGS } from '../strings.ts'

const ITEM =
  'flex min-h-9 cursor-pointer items-center gap-2 rounded px-2.5 outline-none data-highlighted:bg-muted touch:min-h-11'

interface Props {
  user: NonNullable<Session['user']>
  mayLeave: boolean
  trigger: DropdownMenu.DropdownMenuTriggerProps
}

/** The account menu: the page of the user, the theme, the sign-out. */
export function AccountMenu({ user, mayLeave, trigger }: Props) {
  const navigate = useNavigate()
  const leave = useSignOut()
  return (
    // a modal menu adds style elements, which the content security policy refuses
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger {...trigger} />
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-20 min-w-60 rounded-lg border bg-card p-1.5 text-foreground shadow-lg"
        >
          <DropdownMenu.Label className="px-2.5 py-1.5 text-sm text-muted-foreground">
            {user.email ?? user.id}
            <span className="block text-xs">{user.roles.join(', ')}</span>
          </DropdownMenu.Label>
          <DropdownMenu.Item className={ITEM} onSelect={() => void navigate({ to: '/me' })}>
            {ME.title}
          </DropdownMenu.Item>
          <DropdownMenu.Separator className="my-1 border-t" />
          <ThemeItems />
          {mayLeave && (
            <>
              <DropdownMenu.Separator className="my-1 border-t" />
              {[false, true].map((everywhere) => (
                <DropdownMenu.Item
                  key={String(everywhere)}
                  className={ITEM}
                  disabled={leave.isPending}
                  onSelect={() => leave.mutate({ everywhere })}
                >
                  {everywhere ? STRINGS.sign_out_everywhere : STRINGS.sign_out}
                </DropdownMenu.Item>
              ))}
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function ThemeItems() {
  const theme = useSyncExternalStore(watchTheme, currentTheme)
  return (
    <DropdownMenu.RadioGroup
      aria-label={STRINGS.theme.label}
      value={theme}
      onValueChange={(value) => chooseTheme(THEMES.find((each) => each === value) ?? 'system')}
    >
      {THEMES.map((each) => (
        <DropdownMenu.RadioItem key={each} value={each} className={ITEM}>
          {STRINGS.theme[each]}
          <DropdownMenu.ItemIndicator className="ml-auto">
            <Check aria-hidden className="size-4" />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}
