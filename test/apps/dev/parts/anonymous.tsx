export const Anonymous = () => <b>anonymous</b>
