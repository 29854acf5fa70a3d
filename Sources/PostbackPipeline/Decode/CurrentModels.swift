package import ConversionModel
internal import Synchronization

/// The conversion models in use, which may be replaced at any time.
package final class CurrentModels: Sendable {
  private let models: Mutex<Models>

  /// Starts with the given models.
  package init(_ models: Models) { self.models = Mutex(models) }

  /// The models to use now.
  package var value: Models {
    get { models.withLock { $0 } }
    set { models.withLock { $0 = newValue } }
  }
}
