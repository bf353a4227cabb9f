import {
  Children,
  isValidElement,
  type KeyboardEvent,
  type ReactNode,
  useId,
  useState,
  useSyncExternalStore,
} from 'react'

interface TabProps {
  name: string
  children: ReactNode
}

/** One tab of `<Tabs>`. */
export function Tab({ children }: TabProps) {
  return children
}

/** Shows one of its tabs. Without JavaScript, it shows all of them one below the other, with their names. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const tabs = Children.toArray(children).filter((child) => isValidElement<TabProps>(child))
  const [selected, select] = useState(0)
  const isHydrated = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )
  const id = useId()

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const { length } = tabs
    const targets: Partial<Record<string, number>> = {
      ArrowLeft: (selected - 1 + length) % length,
      ArrowRight: (selected + 1) % length,
      Home: 0,
      End: length - 1,
    }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    select(target)
    event.currentTarget.querySelectorAll('button')[target]?.focus()
  }

  return (
    <div className="tabs" data-hydrated={isHydrated || undefined}>
      <div role="tablist" aria-label={label} className="needs-script" onKeyDown={onKeyDown}>
        {tabs.map(({ props: { name } }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}tab${index}`}
            aria-controls={`${id}panel${index}`}
            aria-selected={index === selected}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => select(index)}
          >
            {name}
          </button>
        ))}
      </div>
      {tabs.map(({ props: { name, children } }, index) => (
        <div
          key={name}
          id={`${id}panel${index}`}
          className="panel"
          {...(isHydrated && { role: 'tabpanel', 'aria-labelledby': `${id}tab${index}` })}
          hidden={isHydrated && index !== selected}
        >
          <p className="needs-no-script">
            <strong>{name}</strong>
          </p>
          {children}
        </div>
      ))}
    </div>
  )
}
