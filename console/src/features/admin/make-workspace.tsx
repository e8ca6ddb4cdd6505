import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { api, given } from '../../lib/api.ts'
import { ADMIN } from '../../strings/admin.ts'

const words = ADMIN.workspaces

export function MakeWorkspace() {
  const client = useQueryClient()
  const make = useMutation({
    mutationFn: async (body: { slug: string; name: string }) => given(await api.POST('/workspaces', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['workspaces'] }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    const body = { slug: String(fields.get('slug')), name: String(fields.get('name')) }
    make.mutate(body, { onSuccess: () => form.reset() })
  }
  return (
    <form aria-label={words.make_title} onSubmit={submit} className="mt-6 max-w-prose space-y-3">
      <h3 className="font-semibold">{words.make_title}</h3>
      <Field name={words.slug} hint={words.slug_hint}>
        <input className={FIELD} name="slug" maxLength={63} pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?" required />
      </Field>
      <Field name={words.name}>
        <input className={FIELD} name="name" maxLength={200} required />
      </Field>
      <Refusal error={make.error} />
      <Button type="submit" variant="default" disabled={make.isPending}>
        {words.make}
      </Button>
    </form>
  )
}
