import type { ReactNode } from 'react'

interface ChoiceProps<TValue extends string> {
  readonly label: string
  readonly value: TValue
  /** Label of each value. */
  readonly options: Readonly<Record<TValue, string>>
  readonly onChange: (value: TValue) => void
}

/** A labelled menu. */
export function Choice<TValue extends string>({
  label,
  value,
  options,
  onChange,
}: ChoiceProps<TValue>): ReactNode {
  return (
    <label className="field">
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value as TValue)}>
        {Object.entries<string>(options).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}
