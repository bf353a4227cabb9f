/** A field with the name of its fieldset and of a hidden field that is not sent. */
export function RefusedText({ issues }: { issues: readonly string[] | undefined }) {
  return (
    <>
      <fieldset name="text">
        <legend>All</legend>
        <input type="hidden" name="text" disabled />
        <input
          id="text"
          name="text"
          aria-label="Text"
          aria-invalid={issues ? true : undefined}
          aria-describedby="text-error"
        />
      </fieldset>
      <p id="text-error">{issues}</p>
      <button type="submit" id="send">
        Send
      </button>
    </>
  )
}
