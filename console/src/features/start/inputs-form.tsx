import Form from '@rjsf/core/lib/components/Form.js'
import type { ErrorSchema } from '@rjsf/utils'
import { useMemo } from 'react'
import type { Contract, Inputs } from './api.ts'
import { TEMPLATES, WIDGETS } from './form-look.tsx'
import { uiSchemaOf } from './form-schema.ts'
import './inputs-form.css'
import { ExactNumberField } from './number-field.tsx'
import { schemaValidator } from './schema-validator.ts'

const FIELDS = { NumberField: ExactNumberField }

interface Props {
  contract: Pick<Contract, 'inputs' | 'ui' | 'template_digest'>
  inputs: Inputs
  errors: ErrorSchema<Inputs>
  onChange: (inputs: Inputs) => void
}

/** The inputs of a template or a pipeline, drawn from its contract alone. It is sent with the form around it. */
export function InputsForm({ contract, inputs, errors, onChange }: Props) {
  const { template_digest } = contract
  // the contract of another environment is another object, with the same inputs
  // biome-ignore lint/correctness/useExhaustiveDependencies: the digest covers them
  const schema = useMemo(() => contract.inputs, [template_digest])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the digest covers it
  const ui = useMemo(() => uiSchemaOf(contract), [template_digest])
  return (
    <div className="inputs-form">
      <Form<Inputs>
        tagName="div"
        idPrefix="inputs"
        schema={schema}
        uiSchema={ui}
        validator={schemaValidator}
        formData={inputs}
        extraErrors={errors}
        templates={TEMPLATES}
        widgets={WIDGETS}
        fields={FIELDS}
        showErrorList={false}
        noValidate
        onChange={({ formData }) => onChange(formData ?? {})}
      />
    </div>
  )
}
