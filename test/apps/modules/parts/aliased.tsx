export const Aliased = () => <b id="aliased">aliased</b>
