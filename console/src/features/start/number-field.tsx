import NumberField from '@rjsf/core/lib/components/fields/NumberField.js'
import StringField from '@rjsf/core/lib/components/fields/StringField.js'
import type { FieldProps } from '@rjsf/utils'
import type { ReactElement } from 'react'
import { isExact } from '../../lib/exact-number.ts'
import { START } from '../../strings/start.ts'

const TypedNumberField = NumberField as (props: TypedProps) => ReactElement

/** A number that would be rounded stays a text, and the field explains why. */
export function ExactNumberField(props: FieldProps) {
  const { registry, onChange } = props
  const fields = { ...registry.fields, StringField: TypedField }
  return <TypedNumberField {...props} registry={{ ...registry, fields }} keep={onChange} />
}

/** `keep` takes a text as it was typed. */
interface TypedProps extends FieldProps {
  keep?: FieldProps['onChange']
}

function TypedField({ keep, ...props }: TypedProps) {
  const { formData, onChange } = props
  const change: FieldProps['onChange'] = (value, ...rest) => {
    const take = typeof value === 'string' && !isExact(value) && keep !== undefined ? keep : onChange
    take(value, ...rest)
  }
  return (
    <>
      <StringField {...props} onChange={change} />
      {typeof formData === 'string' && !isExact(formData) && (
        <p role="alert" className="text-destructive text-sm">
          {START.form.inexact}
        </p>
      )}
    </>
  )
}
