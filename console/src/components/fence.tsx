import { Component, type ComponentChildren } from "preact";
import { Failure } from "./failure.js";

interface FenceProps {
  readonly children: ComponentChildren;
}

/** Keeps the rest of the page working when a view fails, for example on an answer of an older relay. */
export class Fence extends Component<FenceProps, { readonly error: Error | null }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return <>{this.props.children}</>;
    const failed = new Error(`This view cannot be shown: ${(error as Error).message}`);
    return <Failure error={failed} retry={() => this.setState({ error: null })} />;
  }
}
