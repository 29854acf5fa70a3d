package import ConversionModel
internal import Synchronization

/// The models that are in use, which may be exchanged for others at any time.
package final class CurrentModels: Sendable {
  private let models: Mutex<Models>

  /// Begins with these.
  package init(_ models: Models) { self.models = Mutex(models) }

  /// The models to use now.
  package var value: Models {
    get { models.withLock { $0 } }
    set { models.withLock { $0 = newValue } }
  }
}
